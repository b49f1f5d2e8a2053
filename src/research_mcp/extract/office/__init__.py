"""Office documents and e-books: archives of XML, read with bounds and without their libraries' weight."""
