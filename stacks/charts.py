"""Writes charts where CDK uploads them from."""

import shutil
from pathlib import Path

from ami import chart_files
from infra.helm_release import chart_folder
from trnstack.charts import chart
from trnstack.plan import Plan


def write_charts(plan: Plan, folder: Path, assembly: Path) -> None:
    """Writes the files of every chart into a cloud assembly, of which templates know no more than their digests.

    Args:
        plan: The plan.
        folder: The folder of the lock, from which archives are named.
        assembly: The folder of the assembly.

    Raises:
        ChartError: An archive is not the one that the plan names, which whoever asked for a plan to deploy was told.
    """
    for release in plan.kubernetes.releases:
        target = assembly / chart_folder(release)
        # The folder is named by its content: what lies there from an earlier synthesis is the same.
        if not target.exists():
            new = Path(f"{target}.new")
            shutil.rmtree(new, ignore_errors=True)
            chart_files.write(chart(release, folder), new)
            new.replace(target)
