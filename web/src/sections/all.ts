// The sections of the page, in their order.
import type { SectionSpec } from "../page/section.ts";
import { ACCURACY_SECTION } from "./accuracy.ts";
import { AUDIT_SECTION } from "./audit.ts";
import { CLAIMS_SECTION } from "./claims.ts";
import { COMPARISONS_SECTION, FAILURES_SECTION, RATES_SECTION } from "./comparisons.ts";
import { CONFIGS_SECTION } from "./configs.ts";
import { HEADS_SECTION } from "./heads.ts";
import { LEARNED_SECTION } from "./learned.ts";
import { LEARNING_SECTION } from "./learning_curves.ts";
import { LENGTHS_SECTION } from "./lengths.ts";
import { NAMES_SECTION } from "./encoding_names.ts";
import { REMOVAL_SECTION } from "./removal.ts";
import { ROTARY_SECTION } from "./rotary_heads.ts";
import { SPECTRA_SECTION } from "./spectra.ts";
import { TELEMETRY_SECTION } from "./telemetry.ts";

export const SECTIONS: readonly SectionSpec[] = [
  CLAIMS_SECTION,
  NAMES_SECTION,
  ACCURACY_SECTION,
  LEARNING_SECTION,
  HEADS_SECTION,
  ROTARY_SECTION,
  REMOVAL_SECTION,
  LENGTHS_SECTION,
  LEARNED_SECTION,
  SPECTRA_SECTION,
  TELEMETRY_SECTION,
  AUDIT_SECTION,
  COMPARISONS_SECTION,
  RATES_SECTION,
  FAILURES_SECTION,
  CONFIGS_SECTION,
];
