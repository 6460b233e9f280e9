"""The papers' analyses of a run: functions of a run record, one module a subject.

They take a `ceo_gym.runs.RunRecord` and nothing else, and change nothing. Sections are those of
the specification of harnesses; definitions are in the documentation page on analysis.
"""

from ceo_gym.evaluation.analysis.measures import Measure
from ceo_gym.evaluation.analysis.reporting import SUBJECTS, Report, report

__all__ = ["SUBJECTS", "Measure", "Report", "report"]
