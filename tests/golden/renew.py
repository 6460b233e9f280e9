"""Write the golden trajectories anew, after a change of outcomes that the changelog names.

python -m tests.golden.renew
"""

import json
from pathlib import Path

from tests.golden.runs import FIELDS, PROFILES, RUNS, trajectory

FILE = Path(__file__).parent / "ceobench_v0.json"


def main() -> None:
    """Play all runs and write the file."""
    runs = {f"{run} {profile}": trajectory(run, profile) for run in RUNS for profile in PROFILES}
    lines = [
        f"  {json.dumps(name)}: [\n"
        + ",\n".join(f"    {json.dumps(week)}" for week in weeks)
        + "\n  ]"
        for name, weeks in runs.items()
    ]
    FILE.write_text(f'{{\n  "fields": {json.dumps(FIELDS)},\n' + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
