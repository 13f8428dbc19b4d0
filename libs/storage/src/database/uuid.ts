const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text from a caller or the operator is an id, because Postgres rejects a statement with an invalid one. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
