export const GET = () => new Response("Pretty Blog API");
