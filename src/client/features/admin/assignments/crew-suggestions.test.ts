import { describe, expect, it } from 'vitest'
import type { CrewMember } from '#contract/crew.ts'
import { choiceFromInput, maxSuggestions, suggestCrew } from './crew-suggestions.ts'

const member = (name: string): CrewMember => ({ id: name, name, role: 'Server' })
const crew = ['Ana Maria', 'Maya Chen', 'René Roy', 'Tamara', 'Tom'].map(member)

const said = (typed: string, current?: CrewMember): string[] =>
  suggestCrew(typed, crew, current).choices.map((choice) =>
    choice.kind === 'member' ? choice.member.name : choice.kind === 'new' ? `+ ${choice.name}` : 'nobody',
  )

describe('suggestions', () => {
  it('are the whole crew before anything is typed', () => {
    expect(said(' ')).toEqual(['Ana Maria', 'Maya Chen', 'René Roy', 'Tamara', 'Tom'])
  })

  it('put names that begin with it first, then words that do, then the rest', () => {
    expect(said('ma')).toEqual(['Maya Chen', 'Ana Maria', 'Tamara', '+ ma'])
  })

  it('look at neither case nor accents, but a name with other accents is another name', () => {
    expect(said('RENE')).toEqual(['René Roy', '+ RENE'])
    expect(said('rené  roy')).toEqual(['René Roy'])
    expect(said('  TOM ')).toEqual(['Tom'])
  })

  it('offer a new Server when nobody has this name, and nobody when somebody has the table', () => {
    expect(said('  Zoe   Lee ')).toEqual(['+ Zoe Lee'])
    expect(said('', crew[0]).at(-1)).toBe('nobody')
    expect(said('t', crew[0])).not.toContain('nobody')
  })

  it('are never more than fit, but all are counted', () => {
    const many = Array.from({ length: 300 }, (_, index) => member(`Crew ${index}`))
    const { choices, matches } = suggestCrew('', many, undefined)
    expect([choices.length, matches]).toEqual([maxSuggestions, 300])
  })
})

describe('Enter', () => {
  it('takes the member of this name, however it is spelt', () => {
    expect(choiceFromInput(' maya  CHEN', crew)).toEqual({ kind: 'member', member: crew[1] })
  })

  it('makes somebody new of any other name, and nothing of none', () => {
    expect(choiceFromInput(' Maya ', crew)).toEqual({ kind: 'new', name: 'Maya' })
    expect(choiceFromInput('  ', crew)).toBeNull()
  })
})
