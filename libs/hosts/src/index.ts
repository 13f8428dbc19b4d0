export * from './host-name';
export * from './probe-url';
