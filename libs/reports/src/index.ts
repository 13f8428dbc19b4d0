export * from './host-name';
export * from './host-report';
export * from './payment-rails';
export * from './probe-url';
