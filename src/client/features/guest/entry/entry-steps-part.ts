export { ScanStep } from './scan-step.tsx'
export { TableEntry } from './table-entry.tsx'
