"""The lobby: tables that deal, replay and judge races."""
