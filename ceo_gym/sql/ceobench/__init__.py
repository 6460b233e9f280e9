"""The 19 business tables of the company world.

from ceo_gym.simulators.ceobench import World
from ceo_gym.sql.ceobench import BusinessDatabase

world = World(seed=1)
books = BusinessDatabase(world)
books.query("SELECT SUM(amount) AS cash FROM ledger")["rows"]
"""

from ceo_gym.sql.ceobench.database import BusinessDatabase
from ceo_gym.sql.ceobench.errors import QueryError

__all__ = ["BusinessDatabase", "QueryError"]
