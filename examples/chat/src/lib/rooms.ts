/** The rooms of the house. A list, so that nobody fills the memory with rooms of their own. */
export const ROOMS = ['lobby', 'tea', 'books', 'gardening'] as const;

export type Room = (typeof ROOMS)[number];

export const isRoom = (name: string): name is Room => (ROOMS as readonly string[]).includes(name);
