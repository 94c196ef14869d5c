import { createSchema, createYoga } from "graphql-yoga";

const yoga = createYoga({
  graphqlEndpoint: "/api/graphql",
  schema: createSchema({
    typeDefs: `
      type Query { greet(name: String!): String! }
      type Subscription { count(to: Int!): Int! }
    `,
    resolvers: {
      Query: { greet: (_, { name }) => `Hello, ${name}!` },
      Subscription: {
        count: {
          subscribe: async function* (_, { to }) {
            for (let count = 1; count <= to; count++) yield { count };
          },
        },
      },
    },
  }),
});

const handler = async (request: Request): Promise<Response> =>
  await yoga.fetch(request);

export { handler as GET, handler as POST };
