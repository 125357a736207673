"""Writes Blank.ttf, with fontTools 4."""
from fontTools.fontBuilder import FontBuilder
from fontTools.ttLib.tables._g_l_y_f import Glyph

font = FontBuilder(1000)
font.setupGlyphOrder([".notdef", "space"])
font.setupCharacterMap({32: "space"})
font.setupGlyf({".notdef": Glyph(), "space": Glyph()})
font.setupHorizontalMetrics({".notdef": (500, 0), "space": (500, 0)})
font.setupHorizontalHeader(ascent=800, descent=-200)
font.setupNameTable({"familyName": "Blank", "styleName": "Regular", "fullName": "Blank", "psName": "Blank"})
font.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200, sxHeight=500, sCapHeight=700)
font.setupPost()
font.updateHead(created=0, modified=0)
font.font.recalcTimestamp = False
font.save("Blank.ttf")
