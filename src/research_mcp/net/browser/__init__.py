"""A browser on this machine, for pages that need JavaScript, behind the same guard as every page.

Whatever a page makes the browser connect to goes through a proxy in this process (`proxy`): the guard
looks at each name and address there, and the socket is opened here. The browser itself resolves no name.
"""
