"""Rows: tables, migrations, repositories and the effect log. All SQL of the product is on this floor."""
