declare module 'parse-prometheus-text-format' {
  /** Families of the text format; throws for nothing and skips nothing: a broken line shows as a missing family. */
  export default function parse(text: string): unknown;
}
