export function filledPage(page: string, data: unknown, packed: boolean): string;
