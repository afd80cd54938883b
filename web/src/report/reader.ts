// Tolerant reading of JSON: a member that is missing or of another type is null or empty, never an exception.

export type JsonObject = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function objectOrNull(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function listOf<T>(value: unknown, read: (element: unknown) => T): T[] {
  return Array.isArray(value) ? value.map(read) : [];
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function countOf(value: unknown): number {
  return numberOf(value) ?? 0;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function numbersOf(value: unknown): (number | null)[] {
  return listOf(value, numberOf);
}

export function flagOf(value: unknown): boolean {
  return value === true;
}
