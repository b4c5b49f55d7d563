import { createContext } from 'react'

/**
 * What was being typed in a cell that is about to be drawn anew, by the id of its table: turning a phone lays the
 * rows out anew, and a cell that comes to stand in another row is another element.
 */
export const DraftsContext = createContext<Map<string, string>>(new Map())
