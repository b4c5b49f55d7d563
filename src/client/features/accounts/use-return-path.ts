import { useSearch } from 'wouter'
import { parseReturnPath } from './return-to.ts'

/** The path to return to after a login, if the page's address names one. */
export function useReturnPath(): string | null {
  useSearch()
  // The router's is decoded: a path with a query of its own would end at its first `&`.
  return parseReturnPath(location.search, location.origin)
}
