#!/usr/bin/env python3
"""Checks transcripts with Apache Spark, where they lie.

    spark-submit tests/spark.py --output DIR PATH...
    spark-submit tests/spark.py --output DIR --list FILE

Each task of Spark runs acpcheck over its share of the paths, and hands back a report. DIR gets

    findings/         how many findings of each rule each transcript has, and its agent (Parquet)
    compliance.json   the report, byte for byte that of one run over all paths

and the standard output a table by rule and agent. The status is that of `acpcheck report`.

Every machine needs acpcheck (`--program`) and sees the files under the same paths. A path is a file or
a folder; a folder goes to one task, so that a list of files spreads better.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from pyspark.sql import SparkSession, functions

COUNTS = "path string, agent string, version string, rule string, side string, errors int, warnings int, infos int"

def judging(program, options, most):
    """What a task does with its share: a report for each `most` paths."""

    def judge(paths):
        paths = list(paths)
        for first in range(0, len(paths), most):
            command = [program, "report", "--format=json", "--quiet", "--jobs=1", "--fail-on=never", *options]
            done = subprocess.run([*command, "--", *paths[first : first + most]], capture_output=True)
            # 3: something cannot be read, and the report says what.
            if done.returncode not in (0, 3):
                raise RuntimeError(done.stderr.decode(errors="replace"))
            yield done.stdout.decode()

    return judge


def counts(report):
    """How many findings each rule has in each transcript, and whose agent it was, as rows."""
    for file in json.loads(report)["files"]:
        for encounter in file["encounters"]:
            agent = encounter["agent"] or {"name": None, "version": None}
            for rule in encounter["rules"]:
                found = [rule.get(severity, 0) for severity in ("errors", "warnings", "infos")]
                if any(found):
                    yield file["path"], agent["name"], agent["version"], rule["rule"], rule["side"], *found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--list", type=Path, metavar="FILE", help="take paths from here, one a line")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--program", default="acpcheck", help="acpcheck, as each machine finds it")
    parser.add_argument("--option", action="append", default=[], help="an option for `acpcheck report`; repeatable")
    parser.add_argument("--tasks", type=int, help="how many shares to make [default: as Spark has it]")
    parser.add_argument("--most", type=int, default=1000, help="how many paths one run of acpcheck gets at most")
    options = parser.parse_args()
    paths = options.paths + (options.list.read_text().splitlines() if options.list else [])
    if not paths:
        parser.error("no paths")

    spark = SparkSession.builder.appName("acpcheck").getOrCreate()
    shares = spark.sparkContext.parallelize(paths, options.tasks)
    reports = shares.mapPartitions(judging(options.program, options.option, options.most)).cache()

    table = spark.createDataFrame(reports.flatMap(counts), COUNTS)
    table.write.mode("overwrite").parquet(str((options.output / "findings").absolute()))
    severities = [functions.sum(name).alias(name) for name in ("errors", "warnings", "infos")]
    transcripts = functions.countDistinct("path").alias("transcripts")
    grouped = table.groupBy("rule", "agent", "version").agg(transcripts, *severities)
    grouped.orderBy("rule", "agent", "version").show(1000, truncate=False)

    parts = options.output / "parts"
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir(parents=True)
    for number, report in enumerate(reports.toLocalIterator()):
        (parts / f"{number:06}.json").write_text(report)
    spark.stop()
    merge = [options.program, "report", "--merge", "--quiet", "--output", options.output / "compliance.json", parts]
    sys.exit(subprocess.run(merge).returncode)


if __name__ == "__main__":
    main()
