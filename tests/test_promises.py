#!/usr/bin/env python3
"""Every promise of tests/promises.tsv has tests and targets that exist, and docs/promises.md states it so."""
import os
import subprocess
import sys

TOOL = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools", "promises.py")
sys.exit(subprocess.run([sys.executable, TOOL, "--check"], check=False).returncode)
