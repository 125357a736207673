"""Reads PROV-JSON with the package prov, whose model refuses what PROV does not allow.

usage: check_prov.py FILE
"""

import sys

import prov.model as model

document = model.ProvDocument.deserialize(sys.argv[1], format="json")
records = document.get_records()
entities = {r.identifier for r in records if isinstance(r, model.ProvEntity)}
activities = {r.identifier for r in records if isinstance(r, model.ProvActivity)}
assert entities and activities and len(document.unified().get_records()) == len(records), "a record appears twice"
for r in records:
    if isinstance(r, (model.ProvUsage, model.ProvGeneration)):
        named = {v for _, v in r.formal_attributes if v is not None}
        assert named & entities and named & activities, r
print(len(entities), "entities,", len(activities), "activities,", len(records), "records")
