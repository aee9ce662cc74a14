"""From process files of other systems to our documents, pure."""
