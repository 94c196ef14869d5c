/** Prints how many books of this program `shop.db` has, and adds one. */
import { addBook, findBooks } from "../../../examples/bookshop/store/books.ts";
import { openDatabase } from "../../../examples/bookshop/store/database.ts";

openDatabase("shop.db");
const { length } = findBooks("Lodore", { limit: 9, offset: 0 });
console.log(length);
addBook({ title: `Lodore ${length}`, author: "Mary Shelley", cents: 800 });
