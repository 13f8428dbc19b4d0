declare module 'har-schema' {
  /** JSON Schemas of HAR 1.2, draft 06. */
  const schemas: Readonly<Record<string, { readonly $id: string }>>;
  export default schemas;
}
