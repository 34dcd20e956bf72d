"""The rules of the domain applied to real rows and real providers; no SQL and no model here."""
