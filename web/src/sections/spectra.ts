import type { SectionSpec } from "../page/section.ts";
import { CONTRACTION } from "./contraction.ts";
import { EIGENVALUES } from "./eigenvalues.ts";
import { KERNELS } from "./kernels.ts";
import { LOGIT_SHARES } from "./logit_shares.ts";
import { SINGULAR_VALUES } from "./singular_values.ts";

export const SPECTRA_SECTION: SectionSpec = {
  id: "spectra",
  title: "Spectra",
  subject: "spectra",
  intro: "Attention logits of trained models, taken apart: how large they are, where they turn, and what in them is position.",
  figures: [SINGULAR_VALUES, EIGENVALUES, KERNELS, LOGIT_SHARES, CONTRACTION],
};
