import { describe, expect, it } from 'vitest'
import type { CrewMember } from '#contract/crew/crew.ts'
import { choiceFromInput, maxSuggestions, suggestCrew } from './crew-suggestions.ts'

const member = (name: string): CrewMember => ({ id: name, name, role: 'Server' })
const crew = ['Ana Maria', 'Maya Chen', 'René Roy', 'Tamara', 'Tom'].map(member)

const labels = (typed: string, current?: CrewMember): string[] =>
  suggestCrew(typed, crew, current).choices.map((choice) =>
    choice.kind === 'member' ? choice.member.name : choice.kind === 'new' ? `+ ${choice.name}` : 'nobody',
  )

describe('suggestions', () => {
  it('are the whole crew before anything is typed', () => {
    expect(labels(' ')).toEqual(['Ana Maria', 'Maya Chen', 'René Roy', 'Tamara', 'Tom'])
  })

  it('list names that start with the text first, then names with such a word, then the rest', () => {
    expect(labels('ma')).toEqual(['Maya Chen', 'Ana Maria', 'Tamara', '+ ma'])
  })

  it('ignore case and accents, but a name with other accents counts as new', () => {
    expect(labels('RENE')).toEqual(['René Roy', '+ RENE'])
    expect(labels('rené  roy')).toEqual(['René Roy'])
    expect(labels('  TOM ')).toEqual(['Tom'])
  })

  it('offer a new Server if nobody has this name, and to clear an assigned table', () => {
    expect(labels('  Zoe   Lee ')).toEqual(['+ Zoe Lee'])
    expect(labels('', crew[0]).at(-1)).toBe('nobody')
    expect(labels('t', crew[0])).not.toContain('nobody')
  })

  it('are limited, but all matches are counted', () => {
    const many = Array.from({ length: 300 }, (_, index) => member(`Crew ${index}`))
    const { choices, matches } = suggestCrew('', many, undefined)
    expect([choices.length, matches]).toEqual([maxSuggestions, 300])
  })
})

describe('Enter', () => {
  it('chooses the member with this name, in any spelling', () => {
    expect(choiceFromInput(' maya  CHEN', crew)).toEqual({ kind: 'member', member: crew[1] })
  })

  it('takes the only suggestion', () => {
    expect(choiceFromInput(' May ', crew)).toEqual({ kind: 'member', member: crew[1] })
  })

  it('adds a new member for any other name, and does nothing without one', () => {
    expect(choiceFromInput(' Ma ', crew)).toEqual({ kind: 'new', name: 'Ma' })
    expect(choiceFromInput(' Mary ', crew)).toEqual({ kind: 'new', name: 'Mary' })
    expect(choiceFromInput('  ', crew)).toBeNull()
  })
})
