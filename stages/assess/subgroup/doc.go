// Package subgroup has the kind that compares a classifier's performance between groups of participants.
package subgroup
