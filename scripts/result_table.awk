# Prints one table row for each result.json (one field per line) named as an argument.

# 1234567 -> 1,234,567
function grouped(number,   digits, text) {
  digits = sprintf("%.0f", number)
  while (length(digits) > 3) {
    text = "," substr(digits, length(digits) - 2) text
    digits = substr(digits, 1, length(digits) - 3)
  }
  return digits text
}

function percent(field) { return field == "" || field == "null" ? "-" : sprintf("%.1f %%", 100 * field) }

function row() {
  if (!("encoding" in value)) {
    printf "%s: no field \"encoding\"\n", file > "/dev/stderr"
    failed = 1
    exit 1
  }
  printf layout, value["encoding"], percent(value["test_accuracy"]),
    value["steps_to_90"] == "null" ? "never" : value["steps_to_90"], value["steps"],
    sprintf("%.1f", value["seconds"]), grouped(value["tokens_per_second"])
}

BEGIN {
  layout = "%-12s %13s %15s %7s %9s %11s\n"
  printf layout, "encoding", "test accuracy", "steps to 90 %", "steps", "seconds", "tokens/s"
}

FNR == 1 {
  if (file != "") row()
  split("", value)
  file = FILENAME
  depth = 0
}
/^[ \t]*[}\]]/ { --depth }
depth == 1 && /^[ \t]*"[a-z_0-9]+": / {
  key = $0
  sub(/^[ \t]*"/, "", key)
  sub(/".*/, "", key)
  text = $0
  sub(/^[ \t]*"[^"]*": */, "", text)
  sub(/,?[ \t\r]*$/, "", text)
  if (text ~ /^".*"$/) text = substr(text, 2, length(text) - 2)
  value[key] = text
}
/[{\[][ \t\r]*$/ { ++depth }
END { if (!failed && file != "") row() }
