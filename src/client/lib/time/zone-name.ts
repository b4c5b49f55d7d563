/** What people read: 'UTC+14' for 'Etc/GMT-14', which has the sign the other way round. */
export const zoneName = (zone: string): string =>
  zone.replace(/^Etc\/(\w+)([+-]?)(\d*)$/u, (_, name: string, sign: string, hours: string) =>
    Number(hours) === 0 ? name : `UTC${sign === '-' ? '+' : '-'}${hours}`,
  )
