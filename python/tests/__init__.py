"""Tests of the package prgnn."""
