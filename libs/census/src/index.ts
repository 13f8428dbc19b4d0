export { outcomeOf, TABLES, type ProbedHost } from './dataset/tables';
export { writeDataset, type Release } from './dataset/write-dataset';
export * from './dataset/finding';
export * from './read-list';
export { FIGURES, type Figure } from './figures/figures';
export type { CountedFigures } from './dataset/figures-file';
