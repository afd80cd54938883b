#!/usr/bin/env Rscript
# Answers questions about small samples, one per line of standard input, with numbers of 17 digits; needs r-base-core
# (apt). tools/make_statistics_fixtures.py asks them.
#
#   holm P...                       p.adjust
#   proportion K N LEVEL            binom.test: both ends, then the one-sided lower and upper bound
#   mcnemar LOST WON                binom.test, two-sided p
#   mean LEVEL X...                 t.test: both ends, degrees of freedom
#   difference LEVEL N X... Y...    Welch's t.test of N values against the rest: both ends, degrees of freedom
#   correlation X... Y...           cor of the first half with the second: Pearson, Spearman
#   quantile P X...                 quantile, type 7

# t.test refuses samples without spread and cor warns of them; neither is asked about.
answers <- list(
  holm = function(p) p.adjust(p, method = "holm"),
  proportion = function(v) {
    end <- function(alternative) binom.test(v[1], v[2], alternative = alternative, conf.level = v[3])$conf.int
    c(end("two.sided"), end("greater")[1], end("less")[2])
  },
  mcnemar = function(v) if (sum(v) == 0) 1 else binom.test(v[1], sum(v))$p.value,
  mean = function(v) {
    test <- t.test(v[-1], conf.level = v[1])
    c(test$conf.int, test$parameter)
  },
  difference = function(v) {
    values <- v[-(1:2)]
    test <- t.test(values[1:v[2]], values[-(1:v[2])], conf.level = v[1])
    c(test$conf.int, test$parameter)
  },
  correlation = function(v) {
    half <- length(v) / 2
    x <- v[1:half]
    y <- v[-(1:half)]
    c(cor(x, y), cor(x, y, method = "spearman"))
  },
  quantile = function(v) quantile(v[-1], v[1], type = 7)
)

cat("R", paste(R.version$major, R.version$minor, sep = "."), "\n")
for (line in readLines(file("stdin"))) {
  words <- strsplit(line, " ")[[1]]
  cat(sprintf("%.17g", answers[[words[1]]](as.numeric(words[-1]))), "\n")
}
