export function downloadBlob(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob)
  download(url, fileName)
  // The browser may begin to read it only now.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Saves the target of a link as a file. */
export function download(href: string, fileName: string): void {
  const link = document.createElement('a')
  link.href = href
  link.download = fileName
  link.click()
}
