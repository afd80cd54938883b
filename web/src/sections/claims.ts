// The paper's claims: holds, fails or undetermined, with the reason and the numbers.
import { figure } from "../base/text.ts";
import { drawn, element } from "../page/dom.ts";
import type { SectionSpec } from "../page/section.ts";
import { tableElement } from "../page/table.ts";
import type { Claim } from "../report/paper.ts";
import type { View } from "../study/view.ts";

const ANY = "any";
const ICONS: Readonly<Record<string, string>> = {
  holds: "M2.5,6.5L5,9L9.5,3.5",
  fails: "M3,3L9,9M9,3L3,9",
  undetermined: "M2.5,6H9.5",
};

export const CLAIMS_SECTION: SectionSpec = {
  id: "claims",
  title: "Claims of the paper",
  subject: "claims of the paper",
  body(view) {
    return view.report.claims.length === 0 ? null : claimsElement(view);
  },
};

function claimsElement(view: View): HTMLElement {
  const { claims } = view.report;
  const known = [...new Set(claims.map((claim) => claim.protocol))].filter((protocol) => protocol !== ANY);
  const protocols = (known.length > 0 ? known : [ANY]).filter((protocol) => protocol === ANY || view.filters.protocols.has(protocol) || !["clean", "released"].includes(protocol));
  const byId = new Map<string, Claim[]>();
  for (const claim of claims) byId.set(claim.id, [...(byId.get(claim.id) ?? []), claim]);
  const head = element("tr", {}, element("th", { scope: "col" }, "Claim"), ...protocols.map((protocol) => element("th", { scope: "col" }, protocol)));
  const body = element("tbody");
  for (const judged of byId.values()) body.append(rowElement(judged, protocols));
  const table = element("table", { class: "claims" }, element("caption", { class: "unseen" }, "Verdicts on the claims of the paper, by protocol"), element("thead", {}, head), body);
  return element("div", {}, element("p", { class: "finding" }, countText([...byId.values()], protocols)), registrationElement(view), table);
}

function registrationElement(view: View): HTMLElement | null {
  const { registration } = view.report;
  return registration === "" ? null : element("p", { class: "note registration" }, registration);
}

function countText(claims: readonly Claim[][], protocols: readonly string[]): string {
  const parts = protocols.map((protocol) => {
    const judged = claims.flatMap((list) => forProtocol(list, protocol) ?? []);
    const count = (verdict: string): number => judged.filter((claim) => claim.verdict === verdict).length;
    return `${protocol === ANY ? "" : `under ${protocol} `}${count("holds")} of ${judged.length} claims hold, ${count("fails")} fail, ${count("undetermined")} stay undetermined`;
  });
  const text = parts.join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function forProtocol(claims: readonly Claim[], protocol: string): Claim | null {
  return claims.find((claim) => claim.protocol === protocol) ?? claims.find((claim) => claim.protocol === ANY) ?? null;
}

function rowElement(claims: readonly Claim[], protocols: readonly string[]): HTMLElement {
  const first = claims[0];
  if (first === undefined) return element("tr");
  const details = element("details", {}, element("summary", {}, "reason and evidence"));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(...explanation(claims));
  });
  const head = element("th", { scope: "row" }, element("span", { class: "claim-text" }, first.claim || first.id), details);
  const row = element("tr", { id: `claim-${first.id}` }, head);
  for (const protocol of protocols) {
    const claim = forProtocol(claims, protocol);
    const label = element("span", { class: "claim-protocol", "aria-hidden": "true" }, protocol === ANY ? "" : protocol);
    row.append(element("td", {}, label, claim === null ? "not judged" : verdictElement(claim.verdict, claim.postHoc, claim.extension)));
  }
  return row;
}

export function verdictElement(verdict: string, postHoc = false, extension = false): HTMLElement {
  const known = verdict in ICONS ? verdict : "undetermined";
  const icon = drawn("svg", { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" }, drawn("path", { d: ICONS[known] ?? "" }));
  return element("span", { class: `verdict ${known}` }, icon, `${verdict}${postHoc ? " (post hoc)" : ""}${extension ? " (extension)" : ""}`);
}

function explanation(claims: readonly Claim[]): HTMLElement[] {
  const first = claims[0];
  const parts: HTMLElement[] = [];
  for (const claim of claims) {
    const heading = claim.protocol === ANY ? "Under any protocol" : `Under ${claim.protocol}`;
    parts.push(element("p", {}, element("b", {}, `${heading}: `), verdictElement(claim.verdict, claim.postHoc, claim.extension), " ", claim.reason));
    if (claim.needs !== "") parts.push(element("p", {}, element("b", {}, "It needs: "), claim.needs));
    if (claim.evidence.length > 0) {
      parts.push(
        tableElement({
          caption: `Evidence, ${claim.protocol}`,
          columns: [{ name: "what" }, { name: "value", show: figure }, { name: "low" }, { name: "high" }, { name: "unit" }, { name: "text" }],
          rows: claim.evidence.map((it) => [it.what, it.value, it.low, it.high, it.unit, it.text]),
        }),
      );
    }
  }
  if (first !== undefined) {
    const criterion = (word: string, text: string): HTMLElement => element("p", { class: "criterion" }, element("b", {}, `${word}: `), text);
    parts.push(criterion("Made", first.made), criterion("Holds", first.holds), criterion("Fails", first.fails));
  }
  return parts;
}
