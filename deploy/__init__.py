"""Installer, service unit, kiosk, releases and backup."""
