export const overviewTitles = {
  requests: 'Total Requests',
  response: 'Response Time',
  tables: 'Active Tables',
} as const
export type Subject = keyof typeof overviewTitles
