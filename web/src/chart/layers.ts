// A colour per layer, where a chart is about the heads of one model.
import type { KeyItem } from "../page/key.ts";
import { lookOf, type Look } from "./look.ts";

export function layerColour(look: Look, layer: number): string {
  return look.layers[layer % look.layers.length] ?? look.ink;
}

export function layerKey(layers: number): KeyItem[] {
  return Array.from({ length: layers }, (_, layer) => ({
    label: `layer ${layer}`,
    sign: { kind: "line" as const, colour: layerColour(lookOf(false), layer), darkColour: layerColour(lookOf(true), layer) },
  }));
}
