"""A table tells the club: every event of its journal over MQTT, at least once and in order.

The journal itself is the queue. The last event that the broker has confirmed is remembered as one number per game
(publisher.py), so a broker, a network or a box that is switched off in between costs time and nothing else. Start
reading at publisher.py.
"""

from companion.publish.broker import Broker, BrokerLine, Mail, parse_broker
from companion.publish.publisher import Outbox, Publisher

__all__ = ["Broker", "BrokerLine", "Mail", "Outbox", "Publisher", "parse_broker"]
