/** Saves what a link leads to as a file, under the name as it is given. */
export function download(href: string, fileName: string): void {
  const link = document.createElement('a')
  link.href = href
  link.download = fileName
  link.click()
}
