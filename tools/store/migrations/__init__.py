"""Alembic migrations: one file a revision in ``versions``, run from inside the program by ``upgrade``."""
