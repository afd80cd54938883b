#!/usr/bin/env bash
# What 'phasor report --latex' and 'phasor cite' write compiles in a paper, whatever encodings are called.
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/harness.sh"

phasor=$repository/build/release/phasor
if [[ ! -x $phasor ]]; then
  echo "latex_test.sh: skipped: there is no $phasor" >&2
  exit 0
fi
for tool in pdflatex bibtex; do
  if ! command -v "$tool" >/dev/null; then
    echo "latex_test.sh: skipped: no $tool (scripts/install_dependencies.sh latex)" >&2
    exit 0
  fi
done
cd "$scratch"

cat >study.json <<'JSON'
{
  "name": "50%_of {my} $n\\ame, ~#1 ^ & <\"a--b\">|",
  "settings": {"model.width": 16, "model.hidden": 32, "model.heads": 2, "model.layers": 2, "train.steps": 20,
    "train.batch": 32, "data.train": 256, "data.test": 32, "data.validation": 32, "train.evaluation_samples": 64},
  "grids": [
    {"encodings": ["rope", "LONG=nope", "alibi+rope(scaling=yarn,factor=4,original=64)",
        "bias(\"-a*log(1+b*abs(d))\",a=1,b=learned(0.1))"],
      "tasks": ["distance", "counting"], "seeds": 3},
    {"encodings": ["rope"], "switches": {"wide: 50%_of {my} $n\\ame ~#1 ^ & <\"a--b\">|": {"model.hidden": 48}}, "seeds": 3}
  ]
}
JSON
sed -i "s/LONG/$(printf 'a%.0s' {1..100})/" study.json
run "$phasor" study study.json --out study
expect_status 0
run "$phasor" report study --latex tables.tex
expect_status 0
expect_output "written: tables.tex"
run "$phasor" report study --latex
expect_status 0
[[ $output == "$(cat tables.tex)" ]] || fail "expected what is printed to be what is written"
"$phasor" cite study >references.bib

# compile NAME: pdflatex as often as references need it; fails with what TeX said.
compile() {
  run pdflatex -halt-on-error -interaction=nonstopmode "$1.tex"
  expect_status 0
  run bibtex "$1"
  expect_status 0
  [[ $output != *Warning* ]] || fail "expected no warning of BibTeX"
  run pdflatex -halt-on-error -interaction=nonstopmode "$1.tex"
  run pdflatex -halt-on-error -interaction=nonstopmode "$1.tex"
  expect_status 0
  [[ $output != *undefined* ]] || fail "expected no undefined references"
}

cat >paper.tex <<'TEX'
\documentclass{article}
\usepackage{booktabs}
\begin{document}
Table~\ref{tab:quick-accuracy} \nocite{*}
\input{tables}
\bibliographystyle{plain}
\bibliography{references}
\end{document}
TEX
label=$(sed -n 's/^\\label{\(.*-accuracy\)}$/\1/p' tables.tex | head -n 1)
sed -i "s/tab:quick-accuracy/$label/" paper.tex
compile paper
[[ $output != *'Overfull \hbox'* ]] || fail "expected tables within the page"

# Fonts of the other encoding, and a language that makes marks active where it is there.
sed 's/\\usepackage{booktabs}/\\usepackage[T1]{fontenc}\\usepackage{booktabs}/' paper.tex >t1.tex
compile t1

# Names beyond Latin, by the preamble of docs/report.md.
for font in 'DejaVu Serif' 'DejaVu Sans Mono' 'Noto Sans CJK SC'; do
  if ! command -v lualatex >/dev/null || [[ -z $(fc-list "$font") ]]; then
    echo "latex_test.sh: names beyond Latin are skipped: no lualatex or no font $font" >&2
    exit 0
  fi
done
cat >others.json <<'JSON'
{
  "name": "names",
  "settings": {"model.width": 16, "model.hidden": 32, "model.heads": 2, "model.layers": 1, "train.steps": 10,
    "train.batch": 32, "data.train": 128, "data.test": 32, "data.validation": 32, "train.evaluation_samples": 32},
  "grids": [{"encodings": [{"name": "קידוד מיקום", "expression": "alibi"}, {"name": "位置編碼_50%", "expression": "rope"}],
      "tasks": ["counting"], "seeds": 2}]
}
JSON
run "$phasor" study others.json --out others
expect_status 0
run "$phasor" report others --latex tables.tex
expect_status 0
expect_output "compile with xelatex or lualatex"
{
  echo '\documentclass{article}'
  sed -n '/^    \\usepackage{booktabs}/,/^    \\setmonofont/s/^    //p' "$repository/docs/report.md"
  printf '%s\n' '\begin{document}' '\input{tables}' '\end{document}'
} >others.tex
run lualatex -halt-on-error -interaction=nonstopmode others.tex
expect_status 0
if grep -i 'Missing character' others.log; then fail "expected fonts for all letters"; fi
if command -v pdftotext >/dev/null; then
  run pdftotext -layout others.pdf -
  # Read in its order, a word that was set backwards would come out backwards.
  expect_output "קידוד"
  expect_output "位置編碼_50%"
fi
