const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text that a stranger or the operator gave is an id: Postgres refuses a statement with what is none. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
