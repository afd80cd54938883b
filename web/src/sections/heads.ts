import type { SectionSpec } from "../page/section.ts";
import { HEAD_DROPS } from "./head_drops.ts";
import { HEAD_MAP } from "./head_map.ts";
import { HEAD_VERDICTS } from "./head_verdicts.ts";
import { PUBLISHED_HEADS } from "./published_heads.ts";
import { SORTED_HEADS } from "./sorted_heads.ts";

export const HEADS_SECTION: SectionSpec = {
  id: "heads",
  title: "Heads",
  subject: "ablations of heads",
  intro:
    "Heads are switched off one by one on held-out samples. Importance asks what is lost without the head, position what is lost when it attends by content alone.",
  figures: [HEAD_VERDICTS, HEAD_DROPS, SORTED_HEADS, HEAD_MAP, PUBLISHED_HEADS],
};
