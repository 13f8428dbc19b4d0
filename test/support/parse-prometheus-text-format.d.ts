declare module 'parse-prometheus-text-format' {
  /**
   * Metric families in the text format. It never throws, and skips invalid input, so a broken line shows as a missing
   * family.
   */
  export default function parse(text: string): unknown;
}
