"""What each kind of job does. Functions here run in the worker process and import what is heavy inside themselves."""

from __future__ import annotations
