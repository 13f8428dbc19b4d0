export { type ProbedHost } from './dataset/tables';
export { writeDataset, type Release } from './dataset/write-dataset';
export * from './dataset/finding';
export * from './read-list';
export { FIGURES } from './figures/figures';
