"""Gymnasium environments for running an organisation over a long horizon."""

from ceo_gym.registration import register_environments

__version__ = "0.1.0"

register_environments()
